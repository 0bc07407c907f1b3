# Every command in README.md, CONTRIBUTING.md and docs/ prints what the page shows: those that need neither NVRTC nor a GPU.
exec "${PYTHON:-python3}" tests/docs/commands.py
