import { useQuery } from '@tanstack/react-query'

import { memoryOperations } from '../../src/memory/contract.ts'
import { call } from '../client.ts'
import { Sign } from '../parts/state.tsx'
import { Ago } from '../parts/time.tsx'
import { keys } from '../queries.ts'
import { addresses, Link } from '../router.tsx'
import { figure } from '../text.ts'

const shown = 50

/** Lists the answers of a mission, except those of one run, whose page shows them itself. */
export function MissionMemory({ missionId, exceptOf }: { missionId: string; exceptOf?: string }) {
  const { data } = useQuery({
    // An answer in another run adds an entry, too.
    queryKey: [...keys.runs, 'memory', missionId],
    queryFn: ({ signal }) => call(memoryOperations.mission, { missionId, limit: shown }, signal),
    staleTime: 0,
  })
  const memories = data?.memories.filter(({ runId }) => runId !== exceptOf) ?? []
  if (data === undefined || memories.length === 0) return null
  return (
    <section className="part" aria-label="Memory of the mission">
      <h2>Answered in {exceptOf === undefined ? 'this mission' : 'other runs of this mission'}</h2>
      <ol className="plain">
        {memories.map((memory) => (
          <li key={memory.id} className="evidence">
            <Sign tone="good" />
            <div className="grow">
              <p className="written">
                <b>{memory.text}</b>
              </p>
              <p className="written">
                {memory.answer} <span className="muted">by {memory.answeredBy}</span>
              </p>
              <p className="facts muted">
                <Link to={addresses.run(memory.runId)}>run</Link>
                <Ago at={memory.at} />
                <code>{memory.noteId ?? memory.id}</code>
              </p>
            </div>
          </li>
        ))}
      </ol>
      {data.total > data.memories.length && (
        <p className="muted">
          {figure(data.total - data.memories.length)} older: <code>agency memory mission {missionId}</code>
        </p>
      )}
    </section>
  )
}
