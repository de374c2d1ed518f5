import type { StepInput } from '../../../src/adapters/runtime/scripted/contract.ts'
import type { Launch } from '../../../src/adapters/runtime/port.ts'
import type { Behaviour, Task } from '../agents/behaviour.ts'
import type { World } from '../world.ts'
import { checkClaims, claimOf, settledFile } from './commands.ts'
import { firstIgnored } from './git.ts'
import { commitAll, mergeCommit, removeGit } from './memory-git.ts'

/** Adds what an agent does in a clone: it joins the commits that its prompt names, commits, conflicts and hides files. */
export async function inClone(
  { git, random, phase }: World,
  { workspace }: Launch,
  task: Task,
  behaviour: Behaviour,
): Promise<Behaviour> {
  if (git === null || (await workspace.read('.git/HEAD', 100)) === null) return behaviour
  const draw = random.about(`clone ${task.kind} ${task.step?.key ?? task.subject} ${task.attempt}`)
  const isBad = (rate: number): boolean => draw.chance(rate) && phase !== 'diligent'
  const { subject, attempt } = task
  if (task.kind !== 'work')
    return draw.chance(0.2) ? before(behaviour, [{ write: { path: 'scratch.md', text: 'discarded\n' } }]) : behaviour
  const joins: StepInput[] = namedCommits(task.prompt).map((commit) => ({ run: mergeCommit(commit) }))
  const work: StepInput[] = []
  const write = (path: string, text: string): void => void work.push({ write: { path, text } })
  if (isBad(git.rates.conflict)) write('shared.md', `changed by ${subject} in attempt ${attempt}\n`)
  if (isBad(git.rates.claim)) write(claimOf(subject), `claimed by ${subject}\n`)
  if (isRepair(task) || (phase === 'diligent' && task.prompt.includes(checkClaims.slice(0, 20))))
    write(settledFile, `settled by attempt ${attempt}\n`)
  if (draw.chance(0.3)) write('trace.log', 'git ignores this\n')
  if (draw.chance(0.3)) write(`build/${subject}.md`, 'git ignores this too\n')
  if (draw.chance(0.2)) write(`more/${subject}.md`, 'beside the point\n')
  if (draw.chance(0.4)) work.push({ run: commitAll })
  const ignored = (await workspace.read('.gitignore', 10_000))?.text
  if (ignored?.includes(`${subject}.md`) === true) joins.unshift({ write: { path: '.gitignore', text: firstIgnored } })
  if (isBad(git.rates.hide))
    return hidden({ ...behaviour, steps: [...joins, ...behaviour.steps] }, work, draw.chance(0.3), subject)
  const first = isBad(0.1) ? [] : joins
  return before({ ...behaviour, steps: [...first, ...behaviour.steps] }, work)
}

/** Repairs of other briefs than those that check claims need nothing. */
const isRepair = ({ prompt }: Task): boolean =>
  prompt.includes('Repair the merged result') && prompt.includes(checkClaims.slice(0, 20))

const namedCommits = (prompt: string): string[] => [
  ...new Set([...prompt.matchAll(/git merge ([0-9a-f]{40})/g)].map((match) => match[1] as string)),
]

/** Puts steps before the report, or before the end of an agent that makes none. */
function before(behaviour: Behaviour, steps: readonly StepInput[]): Behaviour {
  const isEnd = (step: StepInput): boolean =>
    ['report', 'raw_report', 'crash', 'exit', 'hang'].some((name) => name in step)
  const at = behaviour.steps.findIndex(isEnd)
  const place = at < 0 ? behaviour.steps.length : at
  return { ...behaviour, steps: [...behaviour.steps.slice(0, place), ...steps, ...behaviour.steps.slice(place)] }
}

/** Makes git ignore the requested file, or removes the repository: what the agent did is not in its commit. */
function hidden(behaviour: Behaviour, steps: readonly StepInput[], removes: boolean, subject: string): Behaviour {
  const hiding: StepInput = removes
    ? { run: removeGit }
    : { write: { path: '.gitignore', text: `${firstIgnored}${subject}.md\n` } }
  return {
    ...before({ ...behaviour, steps: [...(removes ? [] : [hiding]), ...behaviour.steps] }, removes ? [hiding] : steps),
    name: removes ? 'removes its repository' : 'hides its work',
    outcomes: [...behaviour.outcomes, 'bad_output'],
  }
}
