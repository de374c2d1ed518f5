import type { Db } from '../db/port.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Log } from '../kernel/log.ts'
import type { Route } from '../operations/bind.ts'
import { type OrgAccess } from './changes.ts'
import { type Contents, createContents } from './contents.ts'
import { createFiles, type Files } from './files.ts'
import { govern } from './governance.ts'
import { resolveOrganisation } from './organisations/find.ts'
import { organisationRoutes } from './organisations/routes.ts'
import { createOrganisations, type Organisations } from './organisations/service.ts'
import { resolvePersona } from './personas/find.ts'
import { personaRoutes } from './personas/routes.ts'
import { createPersonas, type Personas } from './personas/service.ts'
import { roleRoutes } from './roles/routes.ts'
import { createRoles, type Roles } from './roles/service.ts'

export interface Org {
  files: Files
  contents: Contents
  access: OrgAccess
  organisations: Organisations
  roles: Roles
  personas: Personas
}

/** Everything about structure and content of organisations; `data` is the root of its files. */
export function composeOrganisation({ db, clock, log, data }: { db: Db; clock: Clock; log: Log; data: string }): Org {
  const files = createFiles({ root: data, db, log })
  const contents = createContents(files)
  return {
    files,
    contents,
    access: { resolveOrganisation, resolvePersona, govern },
    organisations: createOrganisations({ db, files, contents }),
    roles: createRoles({ db }),
    personas: createPersonas({ db, files, contents, clock }),
  }
}

export const organisationRoutesOf = (org: Org): Route[] => [
  ...organisationRoutes(org.organisations),
  ...roleRoutes(org.roles),
  ...personaRoutes(org.personas),
]
