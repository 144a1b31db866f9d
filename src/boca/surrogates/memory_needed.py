"""Whether a training fits into the machine's memory: asked before anything is allocated."""

from boca.core.errors import InputError
from boca.core.memory import available_gigabytes

# Of every parameter: itself, its gradient and two moments. Of every neuron and row: what goes in,
# what comes out, and their gradients.
NUMBERS_PER_PARAMETER = 4
NUMBERS_PER_OUTPUT = 4
BYTES = 4


def check_memory(
    num_goods: int,
    hidden_layers: int,
    hidden_units: int,
    num_rows: int,
    num_networks: int = 1,
    more_numbers: int = 0,
) -> None:
    """
    Raises where training networks would need more memory than there is.

    Parameters
    ----------
    num_goods, hidden_layers, hidden_units
        Inputs of the networks, and their shape.
    num_rows
        Rows that go through them in a step.
    num_networks
        Networks that are trained together.
    more_numbers
        What else a training holds, such as the order of its mini-batches.
    """
    neurons = hidden_layers * hidden_units
    parameters = hidden_units * (num_goods + 1) + (neurons - hidden_units) * hidden_units
    each = NUMBERS_PER_PARAMETER * parameters + NUMBERS_PER_OUTPUT * num_rows * neurons
    needed = BYTES * (num_networks * each + num_rows * num_goods + more_numbers) / 1e9
    free = available_gigabytes()
    if needed > free:
        raise InputError(
            f"Received {hidden_layers:,} hidden layers of {hidden_units:,} neurons, with "
            f"{num_rows:,} rows in a step, whose training would take {needed:,.3g} GB of memory; "
            f"{free:,.3g} GB are free. Choose smaller networks or mini-batches, or fewer epochs."
        )
