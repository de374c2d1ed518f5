import { describeEvidence, type Evidence } from '../work/evidence/contract.ts'
import type { Brief } from '../work/briefs/contract.ts'

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

export const renderBrief = (template: string, brief: Brief, attempt: number): string =>
  renderTemplate(template, {
    objective: brief.objective,
    context: brief.context === '' ? '' : `## Context\n\n${brief.context}`,
    evidence: brief.evidence.map((evidence) => `- ${demand(evidence)}`).join('\n'),
    corrections:
      brief.corrections.length === 0
        ? ''
        : `## What failed last time\n\n${brief.corrections.map((each) => `- ${each.evidence}: ${each.detail}`).join('\n')}`,
    brief_id: brief.id,
    attempt: String(attempt),
  })

/** Everything that will be looked at: an agent cannot meet what it was not told. */
function demand(evidence: Evidence): string {
  const parts = [describeEvidence(evidence)]
  if (evidence.kind === 'command') {
    parts.push(`exit code ${evidence.expectExit}`)
    if (evidence.expectOutput !== undefined) parts.push(`prints ${JSON.stringify(evidence.expectOutput)}`)
    parts.push(`within ${evidence.timeoutSeconds} s`)
  }
  if (evidence.kind === 'file') {
    if (evidence.minBytes > 0) parts.push(`at least ${evidence.minBytes} byte${evidence.minBytes === 1 ? '' : 's'}`)
    if (evidence.contains !== undefined) parts.push(`contains ${JSON.stringify(evidence.contains)}`)
    if (evidence.sha256 !== undefined) parts.push(`sha256 ${evidence.sha256}`)
  }
  if (evidence.kind === 'artifact' && evidence.path === undefined) parts.push('at least one is reported')
  return parts.join(', ')
}
