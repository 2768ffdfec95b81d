import { moment } from '../../ui/format.ts'
import { EmptyState } from '../../ui/Panel.tsx'
import type { StaffAction } from './queries.ts'
import { StaffTable } from './StaffTable.tsx'

/** Each action and its reason; actor and time stand below it where the screen is narrow. */
export function ActionsTable({ actions, everybody }: { actions: StaffAction[]; everybody?: boolean }) {
  if (actions.length === 0)
    return (
      <EmptyState compact title="Nothing yet">
        Each look-up, refund, longer trial and replay is listed here with who did it and why.
      </EmptyState>
    )
  return (
    <StaffTable label="Staff actions" head={['What', 'Reason']} wide={[...(everybody ? ['Account'] : []), 'Staff', 'When']}>
      {actions.map((action) => (
        <tr key={action.id} className="align-baseline">
          <td>
            <span className="block first-letter:uppercase">{action.action}</span>
            <span className="block font-mono text-12 break-all text-faint">{action.detail}</span>
          </td>
          <td className="break-words">
            {action.reason}
            <span className="block text-12 text-faint md:hidden">
              {moment(action.at)}, {staffOf(action)}
            </span>
            {everybody && accountOf(action) ? (
              <span className="block text-12 break-all text-faint md:hidden">{accountOf(action)}</span>
            ) : null}
          </td>
          {everybody ? <td className="break-all text-muted max-md:hidden">{accountOf(action) ?? 'none'}</td> : null}
          <td className="break-all text-muted max-md:hidden">{staffOf(action)}</td>
          <td className="whitespace-nowrap text-muted max-md:hidden">{moment(action.at)}</td>
        </tr>
      ))}
    </StaffTable>
  )
}

const accountOf = ({ email, user_id }: StaffAction) => email ?? user_id
const staffOf = ({ staff_email, staff_user_id }: StaffAction) => staff_email ?? staff_user_id ?? 'the service key'
