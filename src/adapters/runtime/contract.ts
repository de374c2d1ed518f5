/** Runtimes that are planned but not implemented. */
export const laterRuntimes: readonly string[] = ['codex', 'aider', 'opencode', 'gemini', 'acp', 'tmux', 'remote']
