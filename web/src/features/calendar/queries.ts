import type { CallReply } from '@operon/contracts/calls'
import { keepPreviousData, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useCall } from '../../api/call.ts'
import { useLive } from '../../api/live.ts'
import { useSession } from '../../api/session.ts'
import { addDays, timeOf } from './days.ts'

export type Appointment = CallReply<'list-appointments'>['appointments'][number]
export type External = CallReply<'list-appointments'>['external'][number]
export type SyncedCalendar = CallReply<'list-synced-calendars'>['calendars'][number]
export type CaldavCalendar = CallReply<'list-caldav-calendars'>['calendars'][number]
export type EventType = CallReply<'list-event-types'>['event_types'][number]

export type Texts = CallReply<'list-event-types'>['texts']

export function useAppointments(days: string[]) {
  const { user } = useSession()
  const reload = useReload()
  useLive('calendar', reload)
  const [from, to] = [timeOf(days[0]!, 0).toISOString(), timeOf(addDays(days.at(-1)!, 1), 0).toISOString()]
  return useCall('list-appointments', { from, to }, { key: ['list-appointments', user?.id, from], placeholderData: keepPreviousData })
}

export function useEventTypes() {
  const { user } = useSession()
  return useCall('list-event-types', {}, { key: ['list-event-types', user?.id] })
}

export function useSyncedCalendars() {
  const { user } = useSession()
  useLive('connection', useReload())
  return useCall(
    'list-synced-calendars',
    {},
    // The first reading goes on for a moment after it was asked for.
    {
      key: ['list-synced-calendars', user?.id],
      refetchInterval: ({ state }) => (state.data?.calendars.some(({ synced_at, failure }) => !synced_at && !failure) ? 2000 : false),
    },
  )
}

/** Where the calendars at CalDAV servers are, asked for where there are any. */
export function useCaldavCalendars(enabled: boolean) {
  const { user } = useSession()
  return useCall('list-caldav-calendars', {}, { key: ['list-caldav-calendars', user?.id], enabled })
}

export function useAvailability() {
  const { user } = useSession()
  return useCall('show-availability', {}, { key: ['show-availability', user?.id] })
}

export function useReload() {
  const queries = useQueryClient()
  return useCallback(() => {
    for (const key of [
      'list-appointments',
      'list-event-types',
      'show-availability',
      'list-synced-calendars',
      'list-caldav-calendars',
      'dashboard-stats',
    ])
      void queries.invalidateQueries({ queryKey: [key] })
  }, [queries])
}

export const newKey = () => ({ idempotencyKey: crypto.randomUUID() })
