/** A word of the product as screens and texts use it, with one sentence for a reader who meets it for the first time. */
export interface Entry {
  readonly word: string
  readonly meaning: string
}

/** In the order in which a reader needs them: work first, then decisions, proof, teams, safety and money. */
export const glossary = [
  {
    word: 'mission',
    meaning: 'A goal that you give to an organisation. It keeps its memory and its workspace over several runs.',
  },
  { word: 'run', meaning: 'One execution of a mission, from the plan to the accepted or failed result.' },
  { word: 'brief', meaning: 'One unit of work for one agent: objective, inputs, required proof, limits and state.' },
  {
    word: 'attempt',
    meaning: 'One try of one agent at a brief. A brief that fails its checks gets a further attempt.',
  },
  { word: 'agent', meaning: 'One live instance of a persona: a program or a model that works on a brief.' },
  { word: 'persona', meaning: 'A lasting identity with a name, skills and experience, which agents take on.' },
  { word: 'runtime', meaning: 'The way in which an agent runs: Claude Code, a model, a program, or a scripted agent.' },
  { word: 'workspace', meaning: 'The folder in which an agent works, usually a clone of your repository.' },
  { word: 'playbook', meaning: 'The rules by which finished work leads to the next work: direct, or tiered.' },
  { word: 'question', meaning: 'A decision that an agent may not make itself. The run waits for the answer.' },
  { word: 'gate', meaning: 'A point at which a run halts until you approve or reject what it shows.' },
  { word: 'gated', meaning: 'The run waits at a gate. Nothing new starts before it is decided.' },
  { word: 'accepting', meaning: 'All work is done, and the result is examined before the run ends.' },
  { word: 'anomalies', meaning: 'Facts that are unusual about the work and may change your decision.' },
  {
    word: 'evidence',
    meaning: 'The proof that a brief is done: a command, a file or a commit that Agency checks itself.',
  },
  {
    word: 'proof sheet',
    meaning: 'All facts on which a “done” rests: checks, environment, verdicts, and what is not proven.',
  },
  { word: 'odd', meaning: 'A change that may weaken a proof, such as a changed test. It is shown and never hidden.' },
  { word: 'verifier', meaning: 'A second agent that judges the work. It never judges its own.' },
  { word: 'verdict', meaning: 'The judgement of a verifier: pass, partial or fail, with the issues that it found.' },
  { word: 'joint verdict', meaning: 'One judgement on the work of a whole squad, after each of its tasks was judged.' },
  { word: 'note', meaning: 'An assumption or a doubt that an agent recorded. All are settled before the run is done.' },
  {
    word: 'tier',
    meaning: 'A level of capability and authority in a team, from T1 (plans and accepts) to T5 (verifies).',
  },
  { word: 'path', meaning: 'The tiers that a part of the work passes through, such as T2 → T3 → T4 → T5.' },
  { word: 'workstream', meaning: 'A part of a tiered plan that one squad builds.' },
  { word: 'squad', meaning: 'The agents of one workstream: a lead, workers and their verifiers.' },
  {
    word: 'mesh',
    meaning: 'The discussion in which squad leads divide the work, so that no two tasks change the same file.',
  },
  { word: 'slice', meaning: 'The part of the common design for which one squad is responsible.' },
  { word: 'swarm', meaning: 'The workers of a squad that work at the same time.' },
  {
    word: 'wave',
    meaning: 'A group of workstreams that run at the same time. The next wave starts when it has ended.',
  },
  { word: 'casting', meaning: 'The choice of a personality from the talent pool for each part of the work.' },
  { word: 'amendment', meaning: 'A recorded change to the plan of a run that has started.' },
  { word: 'seat', meaning: 'A position in an organisation. A persona holds it, or it is vacant.' },
  { word: 'simulated', meaning: 'Scripted agents play the work: no model is called and nothing is spent.' },
  { word: 'boxed', meaning: 'The agent works in a sandbox: it reaches its workspace and permitted hosts only.' },
  {
    word: 'not boxed',
    meaning: 'The agent works with your rights on this machine, because no sandbox was available or chosen.',
  },
  { word: 'yolo', meaning: 'The agent may do everything inside its box without asking.' },
  { word: 'cautious', meaning: 'The agent asks before operations that cannot be undone.' },
  {
    word: 'unpriced',
    meaning: 'The price of these model calls is not known, so the amount shown is lower than the cost.',
  },
  { word: 'slots', meaning: 'The number of agents that may work at the same time on this machine.' },
] as const satisfies readonly Entry[]

export type Word = (typeof glossary)[number]['word']

const meanings: ReadonlyMap<string, string> = new Map(glossary.map(({ word, meaning }) => [word, meaning]))

export const meaningOf = (word: Word): string => meanings.get(word) ?? ''
