import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { entryPath } from '../../../entries.ts'
import { type Clock, systemClock } from '../../../kernel/clock.ts'
import { readOutbox } from '../outbox.ts'
import type { AgentHandle, Denied, Launch, Runtime } from '../port.ts'
import { startProcess } from '../process.ts'
import type { Scenario } from './contract.ts'
import { filesOf } from './step-data.ts'
import { type AgencyCall, playInProcess } from './in-process.ts'
import { deniedIn, readAgentLine } from './lines.ts'
import { scenarioOf } from './options.ts'
import { resolveScenario } from './resolve-scenario.ts'
import { type BuiltIn, builtInScenarios } from './scenarios.ts'
import { startsOf } from './starts.ts'

export interface ScriptedOptions {
  /** A real child process that uses CLI, MCP, HTTP and files like any agent, or no process and no delay. */
  readonly host: 'process' | 'in-process'
  readonly clock?: Clock
  /** Named scenarios in addition to the built-in ones. */
  readonly scenarios?: Readonly<Record<string, BuiltIn>>
  /** The API for the in-process host; without it log lines become text and reports `report` events. */
  readonly call?: AgencyCall
  readonly graceMs?: number
}

/** Runs agents that play a scenario instead of calling a model. */
export function createScriptedRuntime({
  host,
  clock = systemClock,
  scenarios,
  call,
  graceMs,
}: ScriptedOptions): Runtime {
  const known = { ...builtInScenarios, ...scenarios }
  return {
    name: 'scripted',
    title: 'Simulated agent',
    capabilities: { simulated: true, boxed: true, evidenceUnboxed: true, send: false, resume: false },
    // One for all simulated agents, so that the effects of a provider's limit can be played.
    providerOf: () => 'scripted',
    available: async () => {
      if (host === 'in-process' || existsSync(entryPath('scripted-agent'))) return { ok: true }
      return {
        ok: false,
        reason: 'the program of the scripted agent is missing from this installation',
        install: 'npm install -g agency-os',
      }
    },
    checkOptions: (options) => void scenarioOf(options, '', known),
    isBundled: ({ scenario }) => isBundledName(scenario),
    startsOf: (options) => startsOf(options, known),
    systemPromptOf: async ({ text }) => text,
    launch: async (launch) => {
      const scenario = resolveScenario(
        scenarioOf(launch.options, launch.prompt, known, launch.step && filesOf(launch.step)),
        launch,
      )
      if (host === 'in-process') return playInProcess(scenario, launch, clock, call)
      return startScriptedProcess(scenario, launch, isBundledName(launch.options['scenario']), graceMs)
    },
  }
}

/** Scenarios of our own have names; every other one was written by somebody else. */
const isBundledName = (scenario: unknown = 'default'): boolean =>
  typeof scenario === 'string' && Object.hasOwn(builtInScenarios, scenario)

const scenarioFile = '.agency/scenario.json'
/** It plays a script whatever it is told, but it receives what every other agent receives. */
const systemPromptFile = '.agency/system-prompt.md'

async function startScriptedProcess(
  scenario: Scenario,
  launch: Launch,
  isBundled: boolean,
  graceMs: number | undefined,
): Promise<AgentHandle> {
  await launch.workspace.write(scenarioFile, JSON.stringify(scenario))
  if (launch.systemPrompt !== undefined) await launch.workspace.write(systemPromptFile, launch.systemPrompt)
  const denied: Denied[] = []
  return startProcess({
    launch,
    command: [process.execPath, entryPath('scripted-agent')],
    environment: {
      AGENCY_SCENARIO: join(launch.workspace.path, scenarioFile),
      AGENCY_ATTEMPT: String(launch.attempt),
      AGENCY_MODE: launch.mode ?? 'yolo',
      ...(isBundled ? { AGENCY_CONFINED: '1' } : {}),
      AGENCY_ALLOWED: JSON.stringify(launch.allowed ?? []),
    },
    readLine: (line) => {
      const operation = deniedIn(line)
      if (operation === null) return readAgentLine(line)
      denied.push(operation)
      return { kind: 'text', text: `not allowed: ${operation.what}` }
    },
    readResult: () => readOutbox(launch.workspace),
    readEnd: () => (denied.length === 0 ? {} : { denied }),
    ...(graceMs === undefined ? {} : { graceMs }),
  })
}
