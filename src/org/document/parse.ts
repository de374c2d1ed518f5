import type { Node } from 'yaml'

import type { Fault } from '../../documents/contract.ts'
import {
  type Accept,
  asAnyText,
  asId,
  asText,
  isEmpty,
  type NodeSource,
  oneOf,
  orNull,
  parseNodes,
  readList,
  readMap,
  readScalar,
} from '../../documents/nodes.ts'
import { addFault } from '../../documents/source.ts'
import { AgencyError } from '../../kernel/errors.ts'
import { type Intent, organisationSettings } from '../organisations/contract.ts'
import { checkSetting } from '../organisations/settings.ts'
import { Authority } from '../positions/contract.ts'
import { OrgName, PersonaName, Purpose, RoleName, Title } from '../references.contract.ts'
import {
  type DocAssignment,
  type DocOrganisation,
  type DocPosition,
  type DocRole,
  type OrgDocument,
  personaTypes,
} from './model.ts'

export interface Parsed {
  /**
   * Null when the text cannot be read as a document; otherwise everything that could be read, with or without faults.
   */
  document: OrgDocument | null
  faults: Fault[]
}

/** Keys that are never exported and never imported: state that exists only while agents run. */
const runtimeKeys = [
  'active_agents',
  'agent_count',
  'agents',
  'command',
  'context_percent',
  'context_usage',
  'context_use',
  'current_command',
  'priority',
  'priority_score',
  'priority_scores',
  'session',
  'session_state',
  'sessions',
  'state',
]

export function parseOrgDocument(text: string): Parsed {
  const source = parseNodes(text, 'organisation')
  const { faults } = source
  if (faults.some((each) => each.severity === 'error')) return { document: null, faults }
  if (isEmpty(source.root)) {
    addFault(source, null, 'the document is empty', null)
    return { document: null, faults }
  }
  const root = readMap(source, source.root, 'the document', ['organisation', 'roles', 'positions'], runtimeKeys)
  if (root === null) return { document: null, faults }
  if (!root.has('organisation')) addFault(source, source.root, 'the document has no "organisation"', 'organisation')
  const organisation = root.has('organisation') ? parseOrganisation(source, root.get('organisation') ?? null) : null
  const roles = readList(source, root.get('roles') ?? null, 'roles').flatMap((node) => parseRole(source, node) ?? [])
  const positions = readList(source, root.get('positions') ?? null, 'positions').flatMap(
    (node) => parsePosition(source, node) ?? [],
  )
  return { document: organisation === null ? null : { organisation, roles, positions }, faults }
}

const organisationKeys = [
  'organisation_id',
  'name',
  'purpose',
  'slug',
  'description',
  'status',
  'lead',
  'settings',
  'intent',
]

function parseOrganisation(source: NodeSource, node: Node | null): DocOrganisation | null {
  const values = readMap(source, node, 'organisation', organisationKeys, runtimeKeys)
  if (values === null) return null
  const at = (key: string): Node | null | undefined => values.get(key)
  return compact({
    location: source.locationOf(node),
    locations: new Map([...values].map(([key, value]) => [key, source.locationOf(value)])),
    organisationId: readScalar(source, at('organisation_id'), 'organisation_id', 'a positive whole number', asId),
    name: readScalar(source, at('name'), 'name', 'a text of 1 to 100 characters', asText(OrgName)),
    purpose: readScalar(source, at('purpose'), 'purpose', 'a text of 1 to 64 characters', asText(Purpose)),
    slug: readScalar(source, at('slug'), 'slug', 'a text', asAnyText(200)),
    description: readScalar(source, at('description'), 'description', 'a text', asAnyText(10_000)),
    status: readScalar(
      source,
      at('status'),
      'status',
      'active, dormant or archived',
      oneOf('active', 'dormant', 'archived'),
    ),
    lead: readScalar(source, at('lead'), 'lead', 'the title of a seat, or null', orNull(asText(Title))),
    settings: values.has('settings') ? parseSettings(source, at('settings') ?? null) : undefined,
    intent: values.has('intent') ? parseIntent(source, at('intent') ?? null) : undefined,
  })
}

function parseSettings(source: NodeSource, node: Node | null): DocOrganisation['settings'] {
  if (isEmpty(node)) return []
  const values = readMap(source, node, 'settings', Object.keys(organisationSettings))
  return [...(values ?? [])].flatMap(([key, value]) => {
    const text = readScalar(source, value, key, 'a text', asAnyText(200))
    if (text === undefined) return []
    try {
      checkSetting(key, text)
    } catch (error) {
      if (!(error instanceof AgencyError)) throw error
      addFault(source, value, error.message, key)
      return []
    }
    return [{ key, value: text, location: source.locationOf(value) }]
  })
}

const intentKeys = {
  optimise_for: 'optimiseFor',
  protect: 'protect',
  never_sacrifice: 'neverSacrifice',
  constraints: 'constraints',
} as const

function parseIntent(source: NodeSource, node: Node | null): Intent | null | undefined {
  if (isEmpty(node)) return null
  const values = readMap(source, node, 'intent', Object.keys(intentKeys))
  if (values === null) return undefined
  const intent: Intent = { optimiseFor: [], protect: [], neverSacrifice: [], constraints: [] }
  for (const [key, list] of values) {
    const name = intentKeys[key as keyof typeof intentKeys]
    intent[name] = readList(source, list, key).flatMap(
      (item) => readScalar(source, item, key, 'a list of texts of 1 to 2000 characters', asItem) ?? [],
    )
  }
  return intent
}

/** Accepts one line per item, as intent.md stores it. */
const asItem: Accept<string> = (value, written) => {
  const text = value === null ? undefined : asAnyText(2_000)(value, written)?.replace(/\s+/g, ' ').trim()
  return text === '' ? undefined : text
}

function parseRole(source: NodeSource, node: Node | null): DocRole | null {
  const values = readMap(source, node, 'a role', ['role_id', 'name', 'description'], runtimeKeys)
  if (values === null) return null
  const name = readScalar(source, values.get('name'), 'name', 'a text of 1 to 64 characters', asText(RoleName))
  if (!values.has('name')) addFault(source, node, 'a role needs a name', null)
  if (name === undefined) return null
  return compact({
    location: source.locationOf(node),
    roleId: readScalar(source, values.get('role_id'), 'role_id', 'a positive whole number', asId),
    name,
    description: readScalar(source, values.get('description'), 'description', 'a text', asAnyText(2_000)),
  })
}

const positionKeys = [
  'position_id',
  'title',
  'role',
  'level',
  'reports_to',
  'escalates_to',
  'is_cross_cutting',
  'assignment',
  'authority',
]

function parsePosition(source: NodeSource, node: Node | null): DocPosition | null {
  const values = readMap(source, node, 'a position', positionKeys, runtimeKeys)
  if (values === null) return null
  if (!values.has('title')) addFault(source, node, 'a position needs a title', null)
  const title = readScalar(source, values.get('title'), 'title', 'a text of 1 to 200 characters', asText(Title))
  if (title === undefined) return null
  const at = (key: string): Node | null | undefined => values.get(key)
  const reference = orNull(asText(Title))
  return compact({
    location: source.locationOf(node),
    positionId: readScalar(source, at('position_id'), 'position_id', 'a positive whole number', asId),
    title,
    role: readScalar(source, at('role'), 'role', 'the name of a role', asText(RoleName)),
    level: readScalar(source, at('level'), 'level', 'a whole number from 1 to 100', (value) =>
      typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 100 ? value : undefined,
    ),
    reportsTo: readScalar(source, at('reports_to'), 'reports_to', 'a title or null', reference),
    escalatesTo: readScalar(source, at('escalates_to'), 'escalates_to', 'a title or null', reference),
    isCrossCutting: readScalar(source, at('is_cross_cutting'), 'is_cross_cutting', 'true or false', (value) =>
      typeof value === 'boolean' ? value : undefined,
    ),
    assignment: values.has('assignment') ? parseAssignment(source, at('assignment') ?? null) : undefined,
    authority: values.has('authority') ? parseAuthorities(source, at('authority') ?? null) : undefined,
  })
}

const assignmentKeys = [
  'persona_assignment_id',
  'persona_id',
  'persona_slug',
  'persona_name',
  'persona_role',
  'persona_status',
  'persona_type',
  'assigned_at',
  'skill_file',
  'experience_file',
]

function parseAssignment(source: NodeSource, node: Node | null): DocAssignment | null | undefined {
  if (isEmpty(node)) return null
  const values = readMap(source, node, 'an assignment', assignmentKeys, runtimeKeys)
  if (values === null) return undefined
  const at = (key: string): Node | null | undefined => values.get(key)
  const assignment = compact({
    location: source.locationOf(node),
    personaAssignmentId: readScalar(
      source,
      at('persona_assignment_id'),
      'persona_assignment_id',
      'a positive whole number',
      asId,
    ),
    personaId: readScalar(source, at('persona_id'), 'persona_id', 'a positive whole number', asId),
    personaSlug: readScalar(
      source,
      at('persona_slug'),
      'persona_slug',
      'lower-case letters, digits and hyphens',
      asSlug,
    ),
    personaName: readScalar(
      source,
      at('persona_name'),
      'persona_name',
      'a text of 1 to 100 characters',
      asText(PersonaName),
    ),
    personaRole: readScalar(source, at('persona_role'), 'persona_role', 'the name of a role', asText(RoleName)),
    personaStatus: readScalar(
      source,
      at('persona_status'),
      'persona_status',
      'active or archived',
      oneOf('active', 'archived'),
    ),
    personaType: readScalar(
      source,
      at('persona_type'),
      'persona_type',
      `one of ${personaTypes.join(', ')}`,
      oneOf(...personaTypes),
    ),
    assignedAt: readScalar(source, at('assigned_at'), 'assigned_at', 'a time such as 2026-02-15T10:00:00Z', asTime),
  })
  if (
    assignment.personaSlug === undefined &&
    assignment.personaId === undefined &&
    assignment.personaName === undefined
  ) {
    addFault(source, node, 'an assignment needs persona_slug, persona_id or persona_name', null)
    return undefined
  }
  return assignment
}

function parseAuthorities(source: NodeSource, node: Node | null): Authority[] {
  const kinds = new Set<string>()
  return readList(source, node, 'authority').flatMap((item) => {
    const values = readMap(source, item, 'an authority', ['kind', 'limit', 'unit', 'on_breach'])
    if (values === null) return []
    const plain = (key: string): unknown => (values.get(key) as { value?: unknown } | null | undefined)?.value
    const unit = readScalar(source, values.get('unit'), 'unit', 'a text', asAnyText(200))
    const parsed = Authority.safeParse({
      kind: plain('kind'),
      limit: plain('limit'),
      unit,
      onBreach: plain('on_breach'),
    })
    if (!parsed.success) {
      const [issue] = parsed.error.issues
      const field = issue?.path[0] === 'onBreach' ? 'on_breach' : String(issue?.path[0] ?? '')
      addFault(source, item, `authority: ${field} ${issue?.message ?? ''}`, 'authority')
      return []
    }
    if (kinds.has(parsed.data.kind)) addFault(source, item, `authority: ${parsed.data.kind} appears twice`, 'authority')
    kinds.add(parsed.data.kind)
    return [parsed.data]
  })
}

const asSlug: Accept<string> = (value) =>
  typeof value === 'string' && value.length <= 128 && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(value) ? value : undefined

/** Accepts any ISO time with a zone and converts it to the one format of the store. */
const asTime: Accept<string> = (value) => {
  const text = typeof value === 'string' ? value : ''
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/.test(text)) return undefined
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString()
}

/** Drops undefined keys, so that "absent" differs from "null". */
function compact<T extends object>(
  values: T,
): { [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key] } & {
  [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined>
} {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
}
