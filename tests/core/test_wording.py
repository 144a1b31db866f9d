from boca.core.wording import did_you_mean, nearest


def test_slips_find_what_was_meant():
    """Tests a transposed letter and capitals."""
    assert nearest("LVSM", ["gsvm", "lsvm", "toy"]) == "lsvm"
    assert did_you_mean("pationce", ["patience", "seed"]) == "did you mean 'patience'?"


def test_other_words_are_answered_with_the_list():
    """Tests that a word near nothing gets all choices."""
    assert did_you_mean("zzz", ["patience", "seed"]) == "expected one of patience, seed."
