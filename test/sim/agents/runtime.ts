import { parseScenario } from '../../../src/adapters/runtime/scripted/contract.ts'
import { type AgencyCall, playInProcess } from '../../../src/adapters/runtime/scripted/in-process.ts'
import type { Launch, Runtime } from '../../../src/adapters/runtime/port.ts'
import type { World } from '../world.ts'
import { answerAgent } from './api.ts'
import { badBehaviour, type Behaviour, goodBehaviour, type Task } from './behaviours.ts'
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
      const behaviour = drawBehaviour(world, taskOf(launch, world.phase === 'diligent'))
      world.history.play(launch.launchId, behaviour)
      if (behaviour.name !== 'good') world.fault(`agent ${behaviour.name}`)
      if (behaviour.cannotStart === true) throw new Error('no such program (simulated)')
      const scenario = parseScenario({ steps: behaviour.steps })
      const handle = playInProcess(scenario, { ...launch, attempt: 1 }, world.clock, call)
      world.agents.set(launch.launchId, handle)
      sendStaleRequests(world, launch)
      // The agent is removed when it has ended, even if events are still being read.
      const events = gone(handle.events, () => world.agents.delete(launch.launchId))
      return { ...handle, events }
    },
  }
}

async function* gone<T>(events: AsyncIterable<T>, then: () => void): AsyncGenerator<T> {
  yield* events
  then()
}

function drawBehaviour(world: World, task: Task): Behaviour {
  const random = world.random.about(`${task.kind} ${task.step?.key ?? task.subject} ${task.attempt}`)
  const { badAgent, badVerifier, badPlanner } = world.rates
  const isBad = random.chance({ work: badAgent, verify: badVerifier, plan: badPlanner }[task.kind])
  return isBad && world.phase !== 'diligent' ? badBehaviour(task, random) : goodBehaviour(task, random)
}

const taskOf = ({ kind, prompt, attempt, step }: Launch, isDiligent: boolean): Task => ({
  kind,
  subject: subjectOf(prompt, step),
  step: kind === 'plan' ? step : undefined,
  isDiligent,
  attempt,
  prompt,
  tooLongMs: 8 * 60_000,
})

/**
 * Returns the subject of a prompt. A tiered prompt names the goal before the task, so the longest name is the task's.
 */
function subjectOf(prompt: string, step: Launch['step']): string {
  const [file] = step?.files ?? []
  if (file !== undefined && file !== 'shared.md') return file.replace(/\.md$/, '')
  const named = [...prompt.matchAll(/Write (\S+)\.md/g)].map((match) => match[1] as string)
  return (step === undefined ? named[0] : named.toSorted((a, b) => b.length - a.length)[0]) ?? 'nothing'
}
