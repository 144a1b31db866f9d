"""Local search in allocation space: good allocations fast, without proof."""
