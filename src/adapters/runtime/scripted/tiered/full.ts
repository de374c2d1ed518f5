import type { Scenario } from '../contract.ts'
import {
  accept,
  fail,
  forgetFile,
  type FileTask,
  implementersOf,
  writeFile,
  pass,
  step,
  tasksOf,
} from './step-builders.ts'
import { apiTasks, dbTasks, docsTasks, infraTasks, fixedQueueClient, queueClient } from './webhooks.ts'

const everyTier = ['t2', 't3', 't4', 't5']

const plan = {
  run_id: '{{inputs.run_id}}',
  goal_anchor: '{{inputs.goal_anchor}}',
  complexity: 'medium',
  retry_budget_multiplier: 1,
  workstreams: [
    {
      id: 'backend-api',
      name: 'Backend API',
      domain: 'backend',
      tier_path: everyTier,
      parallel_group: 'A',
      t2_specialist: 'software-architect',
      notes:
        'Accepts events, verifies their signature, passes them to the queue. Done when no accepted event can be lost.',
    },
    {
      id: 'infra',
      name: 'Infrastructure',
      domain: 'infra',
      tier_path: everyTier,
      parallel_group: 'A',
      t2_specialist: 'devops-automator',
      notes: 'The queue, and the build, start and monitoring of the service. Done when it starts with one command.',
    },
    {
      id: 'docs',
      name: 'Documentation',
      domain: 'docs',
      tier_path: everyTier,
      parallel_group: 'B',
      t2_specialist: null,
      notes:
        'Explains its use to senders and operators, based on the finished code. Done when a sender needs no further help.',
    },
  ],
  parallelism: { groups: { A: ['backend-api', 'infra'], B: ['docs'] }, sequence: ['A', 'B'] },
  self_critique_summary: '',
}

const bounds = {
  domain_boundaries: {
    domains: [
      {
        domain: 'backend',
        owns: ['src/', 'the format of an event'],
        excludes: ['the queue itself (infra)'],
        interfaces: ['POST /webhooks, which senders call', 'the queue, through publish(event)'],
      },
      {
        domain: 'infra',
        owns: ['deploy/', 'the queue', 'monitoring'],
        excludes: ['code of the service (backend)'],
        interfaces: ['QUEUE_URL and SIGNING_SECRET, which the service reads'],
      },
      { domain: 'docs', owns: ['docs/'], excludes: ['comments in code'], interfaces: [] },
    ],
  },
  shared_assumptions: {
    auth_approach: 'Every request is signed: HMAC-SHA256 over time and body, rejected after five minutes.',
    data_formats: ['JSON, UTF-8', 'times as ISO 8601 in UTC'],
    api_patterns: ['202 once it is in the queue, never before', 'errors as {code, message}'],
    conventions: ['one module for each concern', 'names in English'],
    constraints: ['an accepted event is delivered at least once'],
  },
}

const proposal = (domain: string, component: string, purpose: string, squads: readonly object[]) => ({
  domain,
  components: [{ name: component, purpose }],
  interface_contracts: [],
  decisions: ['The smallest design that keeps the promise; the sender retries failed requests.'],
  open_conflicts: [],
  t3_squads: squads,
})

const main = (name: string, scope: string) => [{ id: 'main', name, scope }]

const specialist = (domain: string, output: unknown) => step(`designing ${domain}`, `${domain} is designed`, output)

const architecture = (overview: string, slices: Readonly<Record<string, string>>) =>
  step('joining the proposals', 'One architecture', {
    conflicts: [],
    canonical_architecture: {
      overview,
      slices: Object.fromEntries(Object.entries(slices).map(([id, summary]) => [id, { summary, components: [] }])),
      interface_contracts: [
        {
          name: 'publish(event)',
          provided_by: 'infra',
          used_by: ['backend-api'],
          contract: 'Resolves once the queue has the event on disk; rejects after five tries.',
        },
      ],
    },
  })

/** The task that two squads claim at first: the mesh gives it to the one whose name sorts first. */
const claimedTwice: FileTask = {
  id: 'auth-headers',
  title: 'Authentication of senders',
  path: 'src/auth.ts',
  text: '',
  proof: 'export function authenticate',
}

const planned = (tasks: readonly FileTask[]) =>
  step('splitting the work', `${tasks.length} tasks`, { tasks: tasksOf(tasks) }, 600)

/**
 * A goal that needs every tier: three workstreams in two groups, 21 tasks. One implementer forgets its file, which the
 * evidence detects and then a verifier; two squads claim the same file. No model is called, everything is played.
 */
export const tieredFull: Scenario = {
  name: 'tiered-full',
  attempts: [],
  phases: {
    t1_plan: step('reading the goal', '3 workstreams', plan, 900),
    t1_critique: step('looking for risks', 'The plan is amended', {
      ...plan,
      self_critique_summary:
        'Documentation could describe features that are never built, so it now comes last. The remaining risk is load: the number of events per second is unknown.',
    }),
    t2_lead: step('drawing the boundaries', 'Boundaries and assumptions', bounds),
    't2_specialist:backend-api': specialist(
      'backend',
      proposal('backend', 'intake', 'Accepts events and passes them to the queue', [
        {
          id: 'api',
          name: 'API squad',
          scope: 'the sender interface: endpoint, signature, authentication, queue client',
        },
        { id: 'db', name: 'Database squad', scope: 'event storage: schema, store, replay' },
      ]),
    ),
    't2_specialist:infra': specialist(
      'infra',
      proposal('infra', 'platform', 'Builds, starts and watches the service', main('Platform squad', 'deploy/')),
    ),
    't2_specialist:docs': specialist(
      'docs',
      proposal('docs', 'handbook', 'Documentation for senders and operators', main('Docs squad', 'docs/')),
    ),
    't2_synthesis:1': architecture(
      'Senders call the service; the service verifies and stores their events and puts them into the queue.',
      {
        'backend-api': 'Endpoint, signature, senders, queue client, store and replay.',
        infra: 'Image, queue, alerts.',
      },
    ),
    't2_synthesis:2': architecture('A handbook beside the code.', { docs: 'Six pages, one for each question.' }),
    't3_plan:api': planned(apiTasks),
    't3_plan:db': planned([...dbTasks, claimedTwice]),
    't3_plan:infra': planned(infraTasks),
    't3_plan:docs': planned(docsTasks),
    ...implementersOf([...apiTasks, ...dbTasks, ...infraTasks, ...docsTasks]),
    't4:queue-client': [forgetFile(queueClient), writeFile(queueClient), writeFile(fixedQueueClient)],
    't5:queue-client': [
      pass,
      fail('It retries without end when the queue is unavailable; give up after five tries.'),
      pass,
    ],
    t5: [pass],
    t2_summary: step(
      'reviewing the whole',
      'The parts fit together',
      {
        summary: '21 tasks in three workstreams, each verified by another agent; the interfaces are unchanged.',
        concerns: ['It is untested under load.'],
      },
      500,
    ),
    t1_accept: accept('Events are accepted, verified, stored and documented; behaviour under load is untested.'),
  },
}
