"""The map of MRVM: Canada's 14 service regions, their people and who borders on whom."""

# Name and population. Saskatchewan and Alberta count about twice their people, as in the
# reference data of the model.
REGIONS = (
    ("Newfoundland and Labrador", 514711),
    ("Nova Scotia and Prince Edward Island", 1061900),
    ("New Brunswick", 749623),
    ("Eastern Quebec", 1668504),
    ("Southern Quebec", 5683127),
    ("Eastern Ontario and Outaouais", 2347556),
    ("Northern Quebec", 190271),
    ("Southern Ontario", 10091045),
    ("Northern Ontario", 773104),
    ("Manitoba", 1208253),
    ("Saskatchewan", 2059248),
    ("Alberta", 7297342),
    ("British Columbia", 4399805),
    ("Yukon, Northwest Territories and Nunavut", 104625),
)
NUM_REGIONS = len(REGIONS)
POPULATIONS = tuple(population for _, population in REGIONS)

# Short names, for goods.
SHORT_NAMES = (
    "Newfoundland",
    "Nova Scotia",
    "New Brunswick",
    "Eastern Quebec",
    "Southern Quebec",
    "Eastern Ontario",
    "Northern Quebec",
    "Southern Ontario",
    "Northern Ontario",
    "Manitoba",
    "Saskatchewan",
    "Alberta",
    "British Columbia",
    "Territories",
)

BORDERS = (
    (0, 1),
    (0, 3),
    (0, 6),
    (1, 2),
    (2, 3),
    (2, 4),
    (3, 4),
    (3, 6),
    (4, 6),
    (5, 7),
    (5, 8),
    (6, 8),
    (7, 8),
    (8, 9),
    (9, 10),
    (10, 11),
    (10, 13),
    (11, 12),
    (11, 13),
    (12, 13),
)


def distances(home: int) -> list[int]:
    """Borders to cross from one region to each."""
    reached = {home: 0}
    frontier = [home]
    for region in frontier:  # grows while we walk
        for pair in BORDERS:
            if region in pair:
                other = pair[0] + pair[1] - region
                if other not in reached:
                    reached[other] = reached[region] + 1
                    frontier.append(other)
    return [reached[region] for region in range(NUM_REGIONS)]
