import { describeEvidence } from '../work/evidence/contract.ts'
import type { Brief } from '../work/briefs/contract.ts'

/** Fills `{{name}}` and drops the blank lines that an empty value leaves. An unknown name is a mistake in the template. */
export function renderTemplate(template: string, values: Readonly<Record<string, string>>): string {
  const filled = template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`the prompt asks for {{${name}}}, which nobody provides`)
    return value
  })
  return `${filled.replace(/\n{3,}/g, '\n\n').trim()}\n`
}

export const renderBrief = (template: string, brief: Brief, attempt: number): string =>
  renderTemplate(template, {
    objective: brief.objective,
    context: brief.context === '' ? '' : `## Context\n\n${brief.context}`,
    evidence: brief.evidence.map((evidence) => `- ${describeEvidence(evidence)}`).join('\n'),
    corrections:
      brief.corrections.length === 0
        ? ''
        : `## What failed last time\n\n${brief.corrections.map((each) => `- ${each.evidence}: ${each.detail}`).join('\n')}`,
    brief_id: brief.id,
    attempt: String(attempt),
  })
