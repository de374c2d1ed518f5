/**
 * Folders whose comments are not plain yet, with the most dialect words per 1,000 that they may have. An entry may only
 * fall, and goes when the folder meets the common limit.
 */
export const commentCeilings: Readonly<Record<string, number>> = {}
