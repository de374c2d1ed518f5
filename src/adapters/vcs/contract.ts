/** Where pull requests are kept: `bare` is Agency's own record, beside the repository that they go to. */
export const vcsAdapters = ['bare'] as const
/** Known by name, and not there yet. */
export const laterVcsAdapters: readonly string[] = ['github', 'gitlab', 'gitea']
