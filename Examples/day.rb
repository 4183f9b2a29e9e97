#!/usr/bin/env ruby
# Asks the worker for a day's chart and prints it: day.rb [2024-06-04]. Needs ffi-rzmq (Debian: ruby-ffi-rzmq).
require "ffi-rzmq"
require "json"
require "securerandom"

day, id = ARGV.fetch(0, "2024-06-04"), SecureRandom.uuid
context = ZMQ::Context.new
events, commands = context.socket(ZMQ::SUB), context.socket(ZMQ::REQ)
events.connect(ENV.fetch("MARQUEE_EVENTS", "tcp://127.0.0.1:5552"))
commands.connect(ENV.fetch("MARQUEE_COMMANDS", "tcp://127.0.0.1:5551"))

def receive(socket, seconds, missing)
  socket.setsockopt(ZMQ::RCVTIMEO, 1000 * seconds)
  frames = []
  socket.recv_strings(frames) > 0 ? frames : abort(missing)
end

# The heartbeat last: once one arrives, all subscriptions are in force (see day.py).
["ranking.day.all.#{day}", "request.done.#{id}", "request.failed.#{id}", "heartbeat.worker"].each do |topic|
  events.setsockopt(ZMQ::SUBSCRIBE, topic)
end
receive(events, 60, "no heartbeat from the worker")
events.setsockopt(ZMQ::UNSUBSCRIBE, "heartbeat.worker")
commands.send_strings(["fetch.day", JSON.generate(date: day, id: id)])
word, receipt = receive(commands, 60, "no receipt from the worker")
abort("refused: #{receipt}") if word != "accepted"
loop do
  topic, event = receive(events, 60, "no outcome from the worker")
  data = JSON.parse(event.force_encoding("UTF-8"))["data"]
  case topic
  when /^ranking/ then data["entries"].each { |entry| puts entry.values_at("rank", "title", "audience").join("\t") }
  when /^request.failed/ then abort("failed: #{data["error"]["message"]}")
  when /^request.done/ then puts("done, from the #{data["from"]}") || exit
  end
end
