const known = new Map<string, Map<string, boolean>>()

/** Reports whether a statement may read the table: its name is a word of the text. */
export function mentions(text: string, table: string): boolean {
  let ofTable = known.get(table)
  if (ofTable === undefined) known.set(table, (ofTable = new Map()))
  let found = ofTable.get(text)
  if (found === undefined) {
    found = new RegExp(`\\b${table}\\b`).test(text)
    // Texts of lists with any number of placeholders are not a fixed set.
    if (ofTable.size < maxTexts) ofTable.set(text, found)
  }
  return found
}

const maxTexts = 1_000
