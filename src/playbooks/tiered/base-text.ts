/** Returns the first items of a list, and the number of the others. */
export function listed(items: readonly string[], most: number): string {
  const shown = items.slice(0, most).join(', ')
  return items.length > most ? `${shown} and ${items.length - most} more` : shown
}

export function bullets(items: readonly string[], most: number): string {
  const lines = items.slice(0, most).map((item) => `- ${item}`)
  return [...lines, ...(items.length > most ? [`- and ${items.length - most} more`] : [])].join('\n')
}
