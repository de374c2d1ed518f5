import { createEventQueue } from '../../../src/adapters/runtime/event-queue.ts'
import { parseScenario } from '../../../src/adapters/runtime/scripted/contract.ts'
import { type AgencyCall, playInProcess } from '../../../src/adapters/runtime/scripted/in-process.ts'
import type { Launch, ModelUsage, Runtime, RuntimeEvent } from '../../../src/adapters/runtime/port.ts'
import { inClone } from '../repositories/agents.ts'
import type { PlayedCalls, World } from '../world.ts'
import { answerAgent } from './api.ts'
import type { Behaviour, Task } from './behaviour.ts'
import { badBehaviour, goodBehaviour, limited, usage } from './behaviours.ts'
import { sendStaleRequests } from './stale-agents.ts'

/** Creates a runtime with the real interpreter of scripted agents; their behaviour is drawn for each attempt. */
export function createSimRuntime(world: World): Runtime {
  const call: AgencyCall = (request) => answerAgent(world, request)
  return {
    name: 'scripted',
    capabilities: { simulated: true, boxed: false, evidenceUnboxed: true, send: false, resume: false },
    available: async () => ({ ok: true }),
    checkOptions: () => {},
    launch: async (launch) => {
      const task = taskOf(launch, world.phase === 'diligent', world.leadSeat !== null)
      const drawn = drawBehaviour(world, task)
      const behaviour = world.git === null ? drawn : await inClone(world, launch, task, drawn)
      world.history.play(launch.launchId, behaviour)
      if (behaviour.name !== 'good') world.fault(`agent ${behaviour.name}`)
      if (behaviour.cannotStart === true) throw new Error('no such program (simulated)')
      const scenario = parseScenario({ steps: behaviour.steps })
      const handle = playInProcess(scenario, { ...launch, attempt: 1 }, world.clock, call)
      world.agents.set(launch.launchId, handle)
      sendStaleRequests(world, launch)
      const { calls } = played(world, launch.launchId)
      return { ...handle, events: watched(handle.events, calls, () => world.agents.delete(launch.launchId)) }
    },
  }
}

/** Records the calls of an agent and its end, also those that its daemon does not read any more. */
function watched(
  events: AsyncIterable<RuntimeEvent>,
  calls: ModelUsage[],
  ended: () => void,
): AsyncIterable<RuntimeEvent> {
  const queue = createEventQueue()
  const read = async (): Promise<void> => {
    for await (const event of events) {
      if (event.kind === 'usage') calls.push(event)
      if (event.kind === 'ended') ended()
      queue.push(event)
    }
  }
  void read()
  return queue.events
}

function played({ played: all }: World, attemptId: string): PlayedCalls {
  const calls: PlayedCalls = { calls: [], isCutOff: false }
  all.set(attemptId, calls)
  return calls
}

function drawBehaviour(world: World, task: Task): Behaviour {
  const random = world.random.about(`${task.kind} ${task.step?.key ?? task.subject} ${task.attempt}`)
  const { badAgent, badVerifier, badPlanner } = world.rates
  const isBad = random.chance({ work: badAgent, verify: badVerifier, plan: badPlanner }[task.kind])
  const drawn = isBad && world.phase !== 'diligent' ? badBehaviour(task, random) : goodBehaviour(task, random)
  const more = random.about('usage')
  const spending = world.rates.mixedBudget === 0 ? drawn : { ...drawn, steps: [...usage(more), ...drawn.steps] }
  return more.chance(world.rates.quota) && world.phase === 'busy' ? limited(spending, more) : spending
}

const taskOf = ({ kind, prompt, attempt, step }: Launch, isDiligent: boolean, hasLead: boolean): Task => ({
  kind,
  subject: subjectOf(prompt, step),
  step: kind === 'plan' ? step : undefined,
  isDiligent,
  hasLead,
  attempt,
  prompt,
  tooLongMs: 8 * 60_000,
})

/**
 * Returns the subject of a prompt. A tiered prompt names the goal before the task, so the longest name is the task's.
 */
function subjectOf(prompt: string, step: Launch['step']): string {
  const [file] = (step?.data['files'] ?? []) as string[]
  if (file !== undefined && file !== 'shared.md') return file.replace(/\.md$/, '')
  const named = [...prompt.matchAll(/Write (\S+)\.md/g)].map((match) => match[1] as string)
  return (step === undefined ? named[0] : named.toSorted((a, b) => b.length - a.length)[0]) ?? 'nothing'
}
