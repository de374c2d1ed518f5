import type { Task, Workstream } from '../../src/playbooks/tiered/contract.ts'
import type { World } from './tiered-model.ts'

const goal = 'Convert lengths between units'

const correct = `import { metres } from './units.mjs'\nexport const convert = (n, from, to) => (n * metres[from]) / metres[to]\n`

const jobs: World['jobs'] = {
  units: {
    path: 'src/units.mjs',
    text: 'export const metres = { m: 1, km: 1000, mi: 1609.344 }\n',
  },
  convert: {
    path: 'src/convert.mjs',
    text: correct,
  },
  print: {
    path: 'src/print.mjs',
    text: 'export const print = (n, unit) => `${n} ${unit}`\n',
  },
  guide: { path: 'GUIDE.md', text: '# How to convert\n' },
}

const core = [
  task('units', 'src/units.mjs'),
  task('convert', 'src/convert.mjs', { mode: 'pipeline', depends_on: ['units'] }),
]

const guide = stream('guide', 'docs', ['t4', 't5'], {
  notes: 'Task guide: write GUIDE.md',
  evidence_required: [{ kind: 'file', path: 'GUIDE.md' }],
})

/**
 * Two squads of one domain that first claim the same file, one with dependent tasks; and a workstream with one page.
 */
export const full: World = {
  goal,
  // The conversion is inverted until a verifier rejects it.
  jobs: {
    ...jobs,
    convert: {
      ...(jobs['convert'] as World['jobs'][string]),
      first: correct.replace('from]) / metres[to', 'to]) / metres[from'),
    },
  },
  workstreams: [stream('lengths', 'library', ['t2', 't3', 't4', 't5']), guide],
  squads: {
    lengths: [
      { id: 'core', tasks: core },
      { id: 'print', tasks: [task('print', 'src/print.mjs'), task('names', 'src/units.mjs')] },
    ],
  },
}

export const medium: World = {
  goal,
  jobs,
  workstreams: [stream('lengths', 'library', ['t3', 't4', 't5'])],
  squads: { lengths: [{ id: 'main', tasks: core }] },
}

export const simple: World = { goal, jobs, workstreams: [guide], squads: {} }

function stream(
  id: string,
  domain: string,
  path: Workstream['tier_path'],
  fields: Partial<Workstream> = {},
): Workstream {
  return {
    id,
    name: `The ${id}`,
    domain,
    tier_path: path,
    parallel_group: 'all',
    t2_specialist: null,
    notes: '',
    evidence_required: [],
    ...fields,
  }
}

function task(id: string, path: string, fields: Partial<Task> = {}): Task {
  return {
    id,
    title: `Write ${path}`,
    scope: id,
    objective: `Task ${id}: write ${path}`,
    files: [path],
    mode: 'swarm',
    depends_on: [],
    evidence_required: [{ kind: 'file', path }],
    agent_personality: null,
    ...fields,
  }
}
