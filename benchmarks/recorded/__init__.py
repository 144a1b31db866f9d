"""What the program gives: logs, answers of commands, settlements and pages, each as a text."""
