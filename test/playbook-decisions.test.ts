import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { describe, expect, it } from 'vitest'

import { withoutComments } from './support/comments.ts'

const root = resolve(import.meta.dirname, '..')

/** Decisions that only one playbook uses, with the reason why each is a mechanism of its own. */
const single: Readonly<Record<string, string>> = {
  create_briefs: 'a plan of the operator or a planner: specifications from outside, refused if they cannot be followed',
  add_briefs: 'briefs that a playbook makes step by step, with parts, casts and data',
  create_planner: 'a plan before the first brief; its report has no shape of a step',
  close_brief: 'direct closes each brief at once; tiered closes all of them with the run',
  fail_brief: 'on_limit: fail is a setting of runs without a ladder of escalation',
  ask_about_failures: 'without a ladder each failure is a question of its own',
  pause_and_ask: 'a question about the whole run, for failures above every rung of a ladder',
  resolve_brief: 'an answer of an agent above, in a playbook with a ladder',
  answer_question: 'an answer of a rung of the playbook itself; direct has none below the lead',
  raise_question: 'a question that a rung of the playbook itself hands up',
  cancel_briefs: 'work that a new plan or list replaces',
  amend_brief: 'work that has not started follows a change of its inputs or its list',
  move_drafts: 'lists of tasks that several authors agree on before anything starts',
  log: 'a playbook that logs its progress itself, with the state of its parts',
  write_document: 'outputs of steps that later steps read',
  pass_gate: 'gates that an author of the playbook decides, not the operator',
  start_timer: 'agreements with a time limit',
  merge_part: 'branches of parts',
  acknowledge: 'amendments of paths',
}

/** Decisions that no playbook of the product uses yet, with the reason why the engine offers them. */
const unused: Readonly<Record<string, string>> = {
  release_brief: 'for playbooks that check an answer before the work continues; decided-answers.test.ts plays them',
  resolve_notes: 'for playbooks in which a role settles notes of a category; routes-of-playbook.test.ts plays them',
}

const kinds = (): string[] => {
  const text = withoutComments(readFileSync(join(root, 'src/playbooks/contract.ts'), 'utf8'))
  const type = text.slice(text.indexOf('export type Decision ='), text.indexOf('export interface LogLine'))
  return [...type.matchAll(/kind: '(\w+)'/g)].map((match) => match[1] as string)
}

const usedBy = (playbook: string): Set<string> =>
  new Set(
    globSync(`src/playbooks/${playbook}/*.ts`, { cwd: root })
      .filter((path) => !path.endsWith('.test.ts'))
      .flatMap((path) => [...withoutComments(readFileSync(join(root, path), 'utf8')).matchAll(/kind: '(\w+)'/g)])
      .map((match) => match[1] as string),
  )

describe('a decision', () => {
  const users = ['direct', 'tiered'].map(usedBy)
  const countOf = (kind: string): number => users.filter((used) => used.has(kind)).length

  it('is used by a playbook, unless a reason is listed', () => {
    expect(kinds().length).toBeGreaterThan(20)
    expect(kinds().filter((kind) => countOf(kind) === 0)).toEqual(Object.keys(unused))
  })

  it('is used by more than one playbook, unless a reason is listed', () => {
    expect(
      kinds()
        .filter((kind) => countOf(kind) === 1)
        .toSorted(),
    ).toEqual(Object.keys(single).toSorted())
  })
})
