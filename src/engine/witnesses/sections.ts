export interface Section {
  readonly heading: string
  readonly lines: readonly string[]
}

/** Splits a text before each line that begins a section; the first has no heading. */
export function splitSections(text: string, begins: RegExp): Section[] {
  const sections: { heading: string; lines: string[] }[] = [{ heading: '', lines: [] }]
  for (const line of text.split('\n')) {
    if (begins.test(line)) sections.push({ heading: line.trim(), lines: [] })
    sections.at(-1)?.lines.push(line)
  }
  return sections
}
