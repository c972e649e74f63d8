-- What wrk sends, and what it says at the end: one line of JSON. With BENCH_SENT, the number of records before, it posts
-- records of 20 devices and 16 rooms, each a tenth of a second after the one before; otherwise it asks for the address
-- that it was given. With BENCH_PACE_MS, for one connection, requests begin so far apart, or late at once.
local BODY = '{"locationName":"Clínica %d","deviceName":"Pasillo %d","deviceId":"6741a2b3c4d5e6f7%08d",'
  .. '"habitacion":"%d","valor":%s,"createdTime":%d}'
local VALUES = { "2.5", "3.25", "4", "4.75" }
local STEP_MS = 100

local sent = tonumber(os.getenv("BENCH_SENT"))
local start = tonumber(os.getenv("BENCH_START_MS"))
local posts = sent ~= nil
local pace = tonumber(os.getenv("BENCH_PACE_MS"))
local headers = { ["Cookie"] = os.getenv("BENCH_COOKIE") }
if posts then headers["Content-Type"] = "application/json" end

if pace then
  local ffi = require("ffi")
  local MONOTONIC = 1
  ffi.cdef("struct time { long s, ns; }; int clock_gettime(int clock, struct time *now);")
  local time = ffi.new("struct time")
  local function now()
    ffi.C.clock_gettime(MONOTONIC, time)
    return tonumber(time.s) * 1e3 + tonumber(time.ns) / 1e6
  end

  local due = now()
  function delay()
    due = due + pace
    return math.max(0, math.floor(due - now()))
  end
end

function request()
  if not posts then return wrk.format("GET", nil, headers) end
  sent = sent + 1
  local device = sent % 20
  local room = 100 + math.floor(sent / 20) % 16
  local body = BODY:format(device % 4, device, device, room, VALUES[1 + sent % 4], start + sent * STEP_MS)
  return wrk.format("POST", nil, headers, body)
end

function done(summary, latency)
  local failed = summary.errors
  io.write(('{"requests":%d,"us":%d,"failed":%d,"minUs":%d,"medianUs":%d,"p99Us":%d}\n'):format(
    summary.requests, summary.duration,
    failed.connect + failed.read + failed.write + failed.status + failed.timeout,
    latency.min, latency:percentile(50), latency:percentile(99)))
end
