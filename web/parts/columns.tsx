/** How a column is set: figures to the right, and what only a wide screen has room for. */
type Setting = '' | 'figure' | 'wide' | 'figure wide'

/** The head of a table: its columns by name, in order. */
export function Columns({ of }: { of: Readonly<Record<string, Setting>> }) {
  return (
    <thead>
      <tr>
        {Object.entries(of).map(([name, setting]) => (
          <th key={name} scope="col" className={setting === '' ? undefined : setting}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
  )
}
