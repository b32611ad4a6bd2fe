"""Real coding agents with a scripted model: do they obey the hooks that hookgate installs?"""
