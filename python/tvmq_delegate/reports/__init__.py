"""What the commands found, as text, tables, CSV, traces and pages. These modules format; nothing is measured here."""
