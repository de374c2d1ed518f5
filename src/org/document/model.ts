import type { SourceLocation } from '../../documents/faults.ts'
import type { Intent } from '../organisations/contract.ts'
import type { Authority } from '../positions/contract.ts'

/** A parsed document: only the stated values; undefined means that the document does not state the value. */
export interface OrgDocument {
  organisation: DocOrganisation
  roles: DocRole[]
  positions: DocPosition[]
}

export interface DocOrganisation {
  location: SourceLocation
  /** By key. */
  locations: ReadonlyMap<string, SourceLocation>
  organisationId?: number
  name?: string
  purpose?: string
  slug?: string
  description?: string
  status?: 'active' | 'dormant' | 'archived'
  /** The title of the lead seat. */
  lead?: string | null
  settings?: { key: string; value: string; location: SourceLocation }[]
  intent?: Intent | null
}

export interface DocRole {
  location: SourceLocation
  roleId?: number
  name: string
  description?: string
}

export interface DocPosition {
  location: SourceLocation
  positionId?: number
  title: string
  role?: string
  level?: number
  reportsTo?: string | null
  escalatesTo?: string | null
  isCrossCutting?: boolean
  /** Null: vacant, which an import leaves as it is; undefined: not stated. */
  assignment?: DocAssignment | null
  authority?: Authority[]
}

export interface DocAssignment {
  location: SourceLocation
  personaAssignmentId?: number
  personaId?: number
  personaSlug?: string
  personaName?: string
  personaRole?: string
  personaStatus?: 'active' | 'archived'
  /** Only stated where the persona is not an agent of this installation. */
  personaType?: PersonaType
  assignedAt?: string
}

/** The types in the spelling of documents, in the order of their ids. */
export const personaTypes = ['agent/internal', 'agent/external', 'person/internal', 'person/external'] as const
export type PersonaType = (typeof personaTypes)[number]
