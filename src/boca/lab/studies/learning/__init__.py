"""How well surrogates learn, apart from any auction."""
