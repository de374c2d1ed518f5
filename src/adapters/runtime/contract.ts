/** Runtimes that are known by name, and not there yet. */
export const laterRuntimes: readonly string[] = ['codex', 'aider', 'opencode', 'gemini', 'acp', 'tmux', 'remote']
