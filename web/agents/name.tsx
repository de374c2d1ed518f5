import { useQuery } from '@tanstack/react-query'

import { nameAndRole, roleAndKey } from '../../src/kernel/agent-name.ts'
import { runQuery } from '../queries.ts'
import { addresses, Link } from '../router.tsx'

/** Names the agent of a brief: its persona with the role, or the role and the key of what it works on. */
export function AgentName({ runId, personaId, briefId }: { runId: string; personaId: number; briefId: string }) {
  const known = useQuery(runQuery(runId)).data
  const persona = known?.personas.find((each) => each.personaId === personaId)
  if (persona !== undefined) return <Link to={addresses.persona(persona.slug)}>{nameAndRole(persona)}</Link>
  const brief = known?.briefs.find((each) => each.id === briefId)
  const judged = known?.briefs.find((each) => each.id === brief?.verifies)
  return brief === undefined ? null : <>{roleAndKey(brief.kind, (judged ?? brief).key)}</>
}
