"""Programs of the ML framework: how they are compiled and kept, and random numbers inside them."""
