/**
 * Replaces each `{{name}}` by its value. A placeholder alone on its line whose value is empty is removed together with
 * the blank line after it. Values are inserted unchanged, including blank lines and braces. An unknown name is a
 * mistake in the template.
 */
export function renderTemplate(template: string, values: Readonly<Record<string, string>>): string {
  const kept = template.replace(/^\{\{(\w+)\}\}\n\n?/gm, (line, name: string) => (values[name] === '' ? '' : line))
  const filled = kept.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`the prompt uses {{${name}}}, but no value is given for it`)
    return value
  })
  return `${filled.trim()}\n`
}
