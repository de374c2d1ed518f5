/**
 * Folders whose comments are not plain yet, with the most dialect words per 1,000 that they may have. An entry may only
 * fall; a folder without one has the common limit.
 */
export const commentCeilings: Readonly<Record<string, number>> = {
  src: 15,
  'src/engine': 41,
  'src/playbooks': 63,
  'src/work': 44,
  'test/support': 6,
}

/** Folders with names of tests that begin without a subject, and their number, which may only fall. */
export const nameCeilings: Readonly<Record<string, number>> = {
  'src/engine': 5,
  'src/playbooks': 2,
  'src/work': 5,
}

/** The largest share of test names with a word of the dialect. */
export const nameShareCeiling = 0.16
