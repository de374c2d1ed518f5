import { createEventQueue, type EventQueue } from '../../../src/adapters/runtime/event-queue.ts'
import type { AgentEnded, Runtime } from '../../../src/adapters/runtime/port.ts'
import type { Workspace } from '../../../src/workspaces/port.ts'

/** One agent: it does nothing until the test ends its attempt. */
export interface WaitingAgent {
  readonly workspace: Workspace
  /** The inputs of its step as it got them; undefined for a brief without a step. */
  readonly inputs: Readonly<Record<string, unknown>> | undefined
  readonly prompt: string
  readonly events: EventQueue
}

export interface WaitingRuntime extends Runtime {
  /** By attempt. */
  readonly agents: Map<string, WaitingAgent>
}

export const exited: AgentEnded = { kind: 'ended', exitCode: 0, signal: null }

/** A runtime whose agents wait for the test. */
export function createWaitingRuntime(simulated: boolean): WaitingRuntime {
  const agents = new Map<string, WaitingAgent>()
  return {
    name: 'scripted',
    capabilities: { simulated, boxed: false, evidenceUnboxed: false, send: false, resume: false },
    agents,
    available: async () => ({ ok: true }),
    checkOptions: () => {},
    launch: async ({ launchId, workspace, step, prompt }) => {
      const events = createEventQueue()
      agents.set(launchId, { workspace, events, inputs: step?.inputs, prompt })
      return {
        pid: null,
        events: events.events,
        send: async () => {},
        interrupt: async () => events.push({ kind: 'ended', exitCode: null, signal: 'SIGTERM' }),
      }
    },
  }
}
