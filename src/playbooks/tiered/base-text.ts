/** The beginning of a long list, and how much is left of it. */
export function listed(items: readonly string[], most: number): string {
  const shown = items.slice(0, most).join(', ')
  return items.length > most ? `${shown} and ${items.length - most} more` : shown
}

export function bullets(items: readonly string[], most: number): string {
  const lines = items.slice(0, most).map((item) => `- ${item}`)
  return [...lines, ...(items.length > most ? [`- and ${items.length - most} more`] : [])].join('\n')
}
