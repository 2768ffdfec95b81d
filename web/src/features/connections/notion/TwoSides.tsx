type Side = { field: string; label: string; there: string; here: string }
/** Fields that have one value in Notion and another here. */
export function TwoSides({ of }: { of: Side[] }) {
  return (
    <table className="w-full text-left">
      <thead className="text-12 text-muted">
        <tr>
          <th className="py-1 font-medium">Field</th>
          <th className="py-1 font-medium">In Notion</th>
          <th className="py-1 font-medium">Yours</th>
        </tr>
      </thead>
      <tbody>
        {of.map(({ field, label, there, here }) => (
          <tr key={field} className="align-baseline">
            <td className="py-1 pr-2">{label}</td>
            <td className="py-1 pr-2 break-words">{there}</td>
            <td className="py-1 break-words">{here}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
