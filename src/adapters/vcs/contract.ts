/** The places where pull requests are stored: `bare` is Agency's own record, beside their target repository. */
export const vcsAdapters = ['bare'] as const
/** Planned but not implemented. */
export const laterVcsAdapters: readonly string[] = ['github', 'gitlab', 'gitea']
