import type { memoryMissionCommand } from '../cli/commands/memory/mission.ts'
import type { Handler } from '../cli/declare.ts'
import { ago, bold, faint, plain } from '../cli/terminal.ts'
import type { Wire } from '../cli/wire.ts'
import { organisationId } from '../org/organisations/cli/number.ts'
import type { MissionMemory } from './contract.ts'
import { memoryEndpoints } from './endpoints.ts'

interface Page {
  mission_id: string
  memories: Wire<MissionMemory>[]
  total: number
}

export const showMissionMemory: Handler<typeof memoryMissionCommand> = async (
  context,
  mission,
  { type, before, limit, org, json },
) => {
  const page = await context.api().call<Page>(memoryEndpoints.mission, {
    mission_id: mission,
    type,
    before,
    limit,
    organisation_id: await organisationId(context, org),
  })
  if (json) {
    context.json(page)
    return 0
  }
  if (page.memories.length === 0)
    context.out(before === undefined ? 'the mission has answered no question and settled no note yet' : 'no more')
  for (const memory of page.memories) {
    const name = memory.note_id === null ? memory.id : `${memory.note_id} of ${memory.run_id}`
    context.out(
      [
        bold(context, name),
        memory.type,
        ago(memory.at, context.nowMs()),
        faint(context, `asked by ${plain(memory.asked_by)}`),
      ].join('  '),
    )
    context.out(`  ${plain(memory.text)}`)
    context.out(`  ✓ ${plain(memory.answer)} (${plain(memory.answered_by)})`)
  }
  const last = page.memories.at(-1)
  if (last !== undefined && page.total > page.memories.length)
    context.out(`${page.total} in all; for older ones: agency memory mission ${page.mission_id} --before ${last.id}`)
  return 0
}
