/** Style of a column: `figure` aligns right, `wide` is shown only on wide screens. */
type Setting = '' | 'figure' | 'wide' | 'figure wide'

/** Table head: the columns by name, in order. */
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
