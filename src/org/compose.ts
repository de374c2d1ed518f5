import type { Db } from '../db/port.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Log } from '../kernel/log.ts'
import type { Route } from '../operations/bind.ts'
import { assignmentRoutes } from './assignments/routes.ts'
import { type Assignments, createAssignments } from './assignments/service.ts'
import type { AgentWork, OrgAccess } from './changes.ts'
import { chartRoutes } from './chart/routes.ts'
import { type Charts, createCharts } from './chart/service.ts'
import { type Contents, createContents } from './contents.ts'
import { createImporter, type Importer } from './document/import.ts'
import { documentRoutes } from './document/routes.ts'
import { createDocuments, type Documents } from './document/service.ts'
import { createFiles, type Files } from './files.ts'
import { createGovern, mayDecide } from './governance.ts'
import { resolveOrganisation } from './organisations/find.ts'
import { organisationRoutes } from './organisations/routes.ts'
import { createOrganisations, type Organisations } from './organisations/service.ts'
import { resolvePersona } from './personas/find.ts'
import { personaRoutes } from './personas/routes.ts'
import { createPersonas, type Personas } from './personas/service.ts'
import type { Persona } from './personas/store.ts'
import { positionRoutes } from './positions/routes.ts'
import { createPositions, type Positions } from './positions/service.ts'
import { proposalRoutes } from './proposals/routes.ts'
import { createProposals, type Proposals } from './proposals/service.ts'
import { roleRoutes } from './roles/routes.ts'
import { createRoles, type Roles } from './roles/service.ts'
import { routingRoutes } from './routing/routes.ts'
import { createRouting, type Routing } from './routing/service.ts'

export interface Org {
  files: Files
  contents: Contents
  access: OrgAccess
  organisations: Organisations
  roles: Roles
  personas: Personas
  positions: Positions
  assignments: Assignments
  charts: Charts
  routing: Routing
  importer: Importer
  documents: Documents
  proposals: Proposals
}

export interface OrgParts {
  db: Db
  clock: Clock
  log: Log
  work: AgentWork
  /** The root of the data directory. */
  data: string
  /** The personality text of a persona of the talent pool. */
  poolText?: (persona: Persona) => Promise<string>
}

/** Builds all services for the structure and content of organisations. */
export function composeOrganisation({ db, clock, log, work, data, poolText }: OrgParts): Org {
  const files = createFiles({ root: data, db, log })
  const contents = createContents(files, poolText)
  const access: OrgAccess = {
    ...work,
    resolveOrganisation,
    resolvePersona,
    govern: createGovern(work),
    mayDecide: (tx, by, organisationId) => mayDecide(work, tx, by, organisationId),
  }
  const importer = createImporter({ db, files, clock, access })
  return {
    files,
    contents,
    access,
    organisations: createOrganisations({ db, files, contents, access }),
    roles: createRoles({ db, access }),
    personas: createPersonas({ db, files, contents, clock, access }),
    positions: createPositions({ db, access }),
    assignments: createAssignments({ db, access, contents }),
    charts: createCharts({ db, access }),
    routing: createRouting({ db, access, contents }),
    importer,
    documents: createDocuments({ db, access, contents, importer }),
    proposals: createProposals({ db, access, importer }),
  }
}

export const organisationRoutesOf = (org: Org): Route[] => [
  ...organisationRoutes(org.organisations),
  ...roleRoutes(org.roles),
  ...personaRoutes(org.personas),
  ...positionRoutes(org.positions),
  ...assignmentRoutes(org.assignments),
  ...chartRoutes(org.charts),
  ...routingRoutes(org.routing),
  ...documentRoutes(org.documents),
  ...proposalRoutes(org.proposals),
]
