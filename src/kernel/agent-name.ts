const roles = { work: 'worker', plan: 'planner', verify: 'verifier' } as const

/** Names an agent that has no persona by its role and the key of the brief that it works on or judges. */
export const roleAndKey = (kind: keyof typeof roles, key: string): string => `${roles[kind]} ${key}`

/** Names an agent of a persona with its role: `Verner, QA Lead`. */
export const nameAndRole = ({ name, role }: { readonly name: string; readonly role: string }): string =>
  name.toLowerCase() === role.toLowerCase() ? name : `${name}, ${role}`
