"""scripts/check's rules about our own text: include arrows, third-party headers, bans, names and documents."""
