import { useSearchParams } from 'react-router-dom'
import { PageHeader } from '../../ui/Panel.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { Availability } from './Availability.tsx'
import { BookingPages } from './BookingPages.tsx'
import { Schedule } from './Schedule.tsx'
import { SyncedCalendars } from './SyncedCalendars.tsx'

type Tab = 'calendar' | 'pages' | 'hours' | 'synced'

/** Appointments, booking pages and the hours for them. */
export function CalendarPage() {
  const [search, setSearch] = useSearchParams()
  const tab = (search.get('tab') ?? 'calendar') as Tab
  return (
    <>
      <PageHeader title="Calendar" />
      <Tabs<Tab>
        label="Calendar"
        value={tab}
        onChange={(next) => setSearch(next === 'calendar' ? {} : { tab: next }, { replace: true })}
        tabs={[
          { id: 'calendar', label: 'Appointments', panel: <Schedule /> },
          { id: 'pages', label: 'Booking pages', panel: <BookingPages /> },
          { id: 'hours', label: 'Availability', panel: <Availability /> },
          { id: 'synced', label: 'Connected calendars', panel: <SyncedCalendars /> },
        ]}
      />
    </>
  )
}
