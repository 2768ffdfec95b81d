import { Stat, StatRow, Table } from '../../../ui/Data.tsx'
import { Panel, Pill } from '../../../ui/Panel.tsx'

const calls = [
  ['+1 555 0142', '4:12', 'appointment', '10:24'],
  ['+1 555 0187', '1:48', 'qualified', '10:02'],
  ['+1 555 0119', '0:22', 'voicemail', '09:41'],
  ['+1 555 0163', '0:00', 'busy', '09:17'],
] as const

export function VoiceDemo() {
  return (
    <div className="flex flex-col gap-4">
      <StatRow>
        <Stat label="Calls" value="1,247" />
        <Stat label="Minutes" value="3,891" />
        <Stat label="Success rate" value="87%" />
        <Stat label="Appointments" value="156" />
      </StatRow>
      <div className="grid grid-cols-1 gap-4 lg:grid-cols-3">
        <Panel title="Recent calls" flush className="lg:col-span-2">
          <Table label="Recent calls" head={['Number', 'Duration', 'Outcome', 'Time']}>
            {calls.map(([number, duration, outcome, time]) => (
              <tr key={number}>
                <td className="font-mono text-12">{number}</td>
                <td className="font-mono text-12 tabular">{duration}</td>
                <td>
                  <Pill tone={outcome === 'busy' ? 'bad' : 'good'}>{outcome}</Pill>
                </td>
                <td className="font-mono text-12 text-faint">{time}</td>
              </tr>
            ))}
          </Table>
        </Panel>
        <Panel title="Agent status" flush>
          {[
            ['Sales', 'Active'],
            ['Support', 'Idle'],
            ['Appointment', 'Busy'],
          ].map(([agent, status]) => (
            <p key={agent} className="flex items-center justify-between border-b border-line px-4 py-3 text-13 last:border-0">
              {agent}
              <Pill tone={status === 'Active' ? 'good' : status === 'Busy' ? 'warn' : 'neutral'}>{status}</Pill>
            </p>
          ))}
        </Panel>
      </div>
    </div>
  )
}
