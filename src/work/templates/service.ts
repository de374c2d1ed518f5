import { createFault } from '../../documents/faults.ts'
import { smallText } from '../../threads/read-texts.ts'
import type { TrustedFiles } from '../trusted-files/service.ts'
import { planOf } from './as-plan.ts'
import { type BrokenTemplate, type Template, type TemplateDocument, TemplateName } from './contract.ts'
import { readTemplateFiles, type TemplateFile } from './files.ts'
import { readTemplate, type ReadTemplate } from './read.ts'

export interface TemplateDeps {
  /** The folder of the files; null: there is none. */
  folder: string | null
  builtIn: ReadonlyMap<string, TemplateDocument>
  playbooks: ReadonlyMap<string, unknown>
  trust: Pick<TrustedFiles, 'reviewAll'>
}

export type Templates = ReturnType<typeof createTemplates>

/**
 * Templates of runs. A file may name commands, and it may come from somebody else: what it starts is left out until the
 * operator trusts exactly this text, so that no form and no command line can start it unread.
 */
export function createTemplates({ folder, builtIn, playbooks, trust }: TemplateDeps) {
  async function list(): Promise<{ folder: string | null; templates: Template[]; broken: BrokenTemplate[] }> {
    const { files, fault } = folder === null ? { files: [], fault: null } : await readTemplateFiles(folder)
    const templates: Template[] = []
    const broken: BrokenTemplate[] = []
    if (folder !== null && fault !== null) broken.push({ path: folder, faults: [createFault(fault, null, null)] })
    for (const file of files) {
      const read = withKnownPlaybook(readFile(file, templates), playbooks)
      if (read.template === null) broken.push({ path: file.path, faults: [...read.faults] })
      else templates.push(await viewOf(file, read.template))
    }
    const names = new Set(templates.map(({ name }) => name))
    for (const [name, template] of builtIn)
      if (!names.has(name)) templates.push(view(name, template, { path: null, review: null, text: null }))
    return { folder, templates, broken }
  }

  async function viewOf({ name, path, text }: TemplateFile, template: TemplateDocument): Promise<Template> {
    const given = { kind: 'plan' as const, plan: planOf(template), text: text ?? '', name: path }
    const [review = null] = await trust.reviewAll([given])
    if (review === null || review.trusted) return view(name, template, { path, review, text: null })
    return view(name, withoutStarts(template), { path, review, text })
  }

  return { list }
}

function readFile({ name, text }: TemplateFile, before: readonly Template[]): ReadTemplate {
  const fault = (message: string) => ({ template: null, faults: [createFault(message, null, null)] })
  if (!TemplateName.safeParse(name).success)
    return fault(`the file name "${name}" must have lower-case letters, digits and hyphens only`)
  if (before.some((each) => each.name === name)) return fault(`there is another file for the template "${name}"`)
  if (text === null)
    return fault(`the file cannot be read as UTF-8 text of at most ${smallText.toLocaleString('en-GB')} bytes`)
  return readTemplate(text)
}

/** A form knows two ways of working: under any other name it would start the plainest one without a word. */
function withKnownPlaybook(read: ReadTemplate, playbooks: ReadonlyMap<string, unknown>): ReadTemplate {
  const named = read.template?.playbook
  if (named === undefined || playbooks.has(named)) return read
  const message = `there is no playbook "${named}"; the playbooks are ${[...playbooks.keys()].join(' and ')}`
  return { template: null, faults: [createFault(message, null, null)] }
}

/** Leaves out every field that `startsOfPlan` can find something in. */
function withoutStarts(template: TemplateDocument): TemplateDocument {
  const { evidence: _evidence, setup: _setup, runtimeOptions: _options, repo: _repo, ...rest } = template
  return rest
}

function view(
  name: string,
  { title, description, ask, goal, ...run }: TemplateDocument,
  file: Pick<Template, 'path' | 'review' | 'text'>,
): Template {
  return { name, title, description, ask: ask ?? null, goal, run, ...file }
}
