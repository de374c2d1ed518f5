/**
 * Ends a query with a maximum number of rows that is bound like any other value. SQLite treats a bare `LIMIT ?` as part
 * of the plan and prepares the statement again at every execution, which costs more than most of our queries. The number
 * in the text would avoid that too, but every size of a page would then be a statement that stays prepared.
 */
export const boundLimit = 'LIMIT CAST(? AS INTEGER)'
