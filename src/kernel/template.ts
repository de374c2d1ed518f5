/**
 * Fills `{{name}}`; a line of its own whose value is empty goes, with the blank line after it. The values stay as they
 * are, to the last blank line and brace. An unknown name is a mistake in the template.
 */
export function renderTemplate(template: string, values: Readonly<Record<string, string>>): string {
  const kept = template.replace(/^\{\{(\w+)\}\}\n\n?/gm, (line, name: string) => (values[name] === '' ? '' : line))
  const filled = kept.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`the prompt asks for {{${name}}}, which nobody provides`)
    return value
  })
  return `${filled.trim()}\n`
}
