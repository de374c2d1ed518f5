import { parseOrgDocument } from '../org/document/parse.ts'
import { parseAgentFile } from '../org/personas/agent-file.ts'
import { parsePersonality } from '../talent/front-matter.ts'
import { parseRegistry } from '../talent/registry.ts'
import { readTeam } from '../team/load.ts'
import { answerWith } from '../threads/answer.ts'
import type { TextKind } from '../threads/read-texts.ts'
import { readPlan } from '../work/plans/read.ts'

const readers: Record<TextKind, (text: string) => unknown> = {
  plan: readPlan,
  organisation: parseOrgDocument,
  team: readTeam,
  persona: parseAgentFile,
  personality: parsePersonality,
  registry: parseRegistry,
}

answerWith(({ kind, texts }: { kind: TextKind; texts: readonly string[] }) => texts.map((text) => readers[kind](text)))
