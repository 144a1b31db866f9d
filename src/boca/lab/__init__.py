"""The laboratory, where the truth is known: value models, simulated bidders, studies, reports."""
